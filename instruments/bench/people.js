/** The number on file of everybody whom the load makes up: `u17`. */
export const phoneOf = (subject) => `+57301${1_000_000 + Number(subject.slice(1))}`
