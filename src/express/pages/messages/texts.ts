import type { en } from './en.js'

/** One language: the same keys in each, so that a missing text does not compile. */
export type Texts = Readonly<Record<keyof typeof en, string>>

/** Own texts per locale, each key on its own. A locale that is not built in falls back to English. */
export type Messages = Readonly<Record<string, Partial<Texts>>>
