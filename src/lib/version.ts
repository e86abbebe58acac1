/** Version of this package. A constant, so that it can be bundled; a test holds it equal to package.json. */
export const version = '0.2.0'
