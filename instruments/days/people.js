/** How long an app waits for the provider: short, because a tenth of the answers never come. */
export const providerTimeoutMs = 1_000

const first = 1_000_000

/** So many accounts. One in forty is the target of somebody who has its password. */
export const accounts = (count) =>
  Array.from({ length: count }, (_, index) => ({
    subject: String(first + index),
    isTarget: index % 40 === 0,
  }))

/** The number on file of a subject. */
export const phoneOf = (subject) => `+57300${subject}`
