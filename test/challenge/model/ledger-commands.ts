import { enable, reserve, settle } from '../../../src/challenge/ledger/attempts.js'
import { cancel } from '../../../src/challenge/ledger/ledger.js'
import { resend, settleSend, start } from '../../../src/challenge/ledger/sends.js'

/** The pure ledger as one thing that a seeded bug can take a part of. */
export const ledgerCommands = { start, resend, settleSend, reserve, settle, cancel, enable }

export type LedgerCommands = typeof ledgerCommands
