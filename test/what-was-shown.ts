/** The members of a body that say what its code is for. */
const names = ['challenge', 'requirement', 'purpose'] as const

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

/** What a browser was shown last below each path, which goes out with the code as it does from a page. */
export function rememberShown(before: Iterable<readonly [string, Record<string, string>]> = []) {
  const shown = new Map(before)

  return {
    shown,
    look(text: string, location: string | null): void {
      const [, challenge, url] = /"id":"([^"]+)".*"verifyUrl":"([^"]+)"/.exec(text) ?? []
      if (challenge && url) shown.set(parentOf(url), { challenge })
      const [, form] = /action="([^"]+)\/verify"/.exec(text) ?? []
      if (form !== undefined) shown.set(form, hiddenFields(text))
      const page = new URL(location ?? '/', 'http://localhost')
      if (page.pathname !== '/') shown.set(page.pathname, Object.fromEntries(page.searchParams))
    },
    /** The fields with one that says what they are for, unless they say it themselves. */
    named<Fields>(path: string, fields: Fields): Fields {
      const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields)
      if (!isObject || !/\/(verify|resend)$/.test(path)) return fields
      if (names.some((name) => Object.hasOwn(fields, name))) return fields
      const last = shown.get(parentOf(path)) ?? {}
      const name = names.find((one) => Object.hasOwn(last, one))
      return name === undefined ? fields : { ...fields, [name]: last[name] }
    },
  }
}

/** What the first form of a page brings along. */
export function hiddenFields(page: string): Record<string, string> {
  const [form = ''] = page.split('</form>')
  const fields = form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)
  return Object.fromEntries([...fields].map(([, name, value]) => [name, value]))
}
