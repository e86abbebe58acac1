/** The command line is invalid. The message is for the person who typed it. */
export class UsageError extends Error {}

/** Runs a parser of the command line. Its TypeErrors, from `parseArgs` or the sandbox, become usage errors. */
export async function understand<Read>(read: () => Read): Promise<Awaited<Read>> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}

/** Creates the error for a secret on the command line. `what` names it without its value. */
export function secretShown(what: string, variable: string): UsageError {
  return new UsageError(
    `${what} is refused, because every process of this machine can read a command line. Set ${variable}.`,
  )
}
