import type { Express } from 'express'
import type { CodeProvider, TwoFactor } from 'express-two-factor'

/** The reader's app, as the sample for a test imports it. */
export declare function createApp(provider: CodeProvider): { app: Express; tf: TwoFactor }
