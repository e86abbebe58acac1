import { expect, test, vi } from 'vitest'

test('the entry loads where Express is not installed', async () => {
  vi.doMock('express', () => {
    throw new Error('Express is not installed here')
  })
  expect(await import('express-two-factor/testing')).toMatchObject({ storeContract: expect.any(Function) })
})
