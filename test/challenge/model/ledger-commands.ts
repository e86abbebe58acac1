import { reserve, settle } from '../../../src/challenge/ledger/attempts.js'
import { cancel } from '../../../src/challenge/ledger/challenge.js'
import { enable } from '../../../src/challenge/ledger/guessing.js'
import { resend, start } from '../../../src/challenge/ledger/sends.js'
import { settleSend } from '../../../src/challenge/ledger/settled-send.js'

/** The pure ledger as one thing that a seeded bug can take a part of. */
export const ledgerCommands = { start, resend, settleSend, reserve, settle, cancel, enable }

export type LedgerCommands = typeof ledgerCommands
