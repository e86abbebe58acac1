/** Version of this package. It is a constant so that it can be bundled. A test compares it with package.json. */
export const version = '0.2.0'
