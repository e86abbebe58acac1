import { that } from '../lib/options.js'

/** A name stands in front of handles, which are kept with every challenge. */
export const providerName = that(
  'must be a string of 1 to 40 letters, digits, dots, hyphens or underscores',
  (value) => typeof value === 'string' && /^[\w.-]{1,40}$/.test(value),
)
