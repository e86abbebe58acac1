import { afterAll } from 'vitest'
import { endLeftovers } from './leftovers.js'

afterAll(endLeftovers)
