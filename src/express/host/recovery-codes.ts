import { generateRecoveryCodes, type RecoveryCodes } from '../../challenge/proofs/recovery-codes.js'
import type { RecoveryCodeStore } from '../../challenge/recovery.js'
import { hostFunction } from './boundary.js'
import { type SubjectName, subjectText } from './requester.js'

/** Makes the codes that let a person in who has lost the phone. */
export interface RecoveryCodesFacade {
  /**
   * Ten new codes for a subject. Show the codes once and store the hashes in place of all earlier ones; a code
   * has 120 random bits, so that they need no slow hash and no salt.
   *
   * @example
   * const { codes, hashes } = tf.recoveryCodes.generate(user.id)
   * await recoveryCodes.replace(user.id, hashes)
   * res.render('recovery-codes', { codes })
   */
  generate(subject: SubjectName): RecoveryCodes
}

export const recoveryCodesFacade: RecoveryCodesFacade = {
  generate: (subject) => generateRecoveryCodes(subjectText(subject)),
}

/** The functions of the host: whatever they throw is an Error that reaches its own error handler. */
export function hostRecoveryCodes(codes: RecoveryCodeStore, timeoutMs: number): RecoveryCodeStore {
  const { remaining } = codes
  const within = (name: string) => ({ name: `recoveryCodes.${name}`, timeoutMs })
  return {
    consume: hostFunction((subject: string, hash: string) => codes.consume(subject, hash), within('consume')),
    ...(remaining && {
      remaining: hostFunction((subject: string) => remaining.call(codes, subject), within('remaining')),
    }),
  }
}
