import type { Flag } from './command-line.js'
import { secretShown, UsageError } from './usage-error.js'

export const redisFlag = {
  takes: '<url>',
  variable: 'REDIS_URL',
  help: 'Redis, if the app uses it; pass a password only in the variable',
} as const satisfies Flag

/** Returns the address of Redis, from the command line or the variable; undefined without either. */
export function redisUrlOf({ redisUrl }: { readonly redisUrl?: string | undefined }): string | undefined {
  if (redisUrl !== undefined && holdsPassword(redisUrl)) {
    throw secretShown('A password in --redis-url', 'REDIS_URL')
  }
  const url = redisUrl ?? process.env.REDIS_URL
  if (url === undefined || url === '') return undefined
  if (URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol)) return url
  throw new UsageError('redis-url must begin with redis:// or rediss://.')
}

function holdsPassword(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { password, searchParams } = new URL(url)
  return password !== '' || searchParams.has('password')
}
