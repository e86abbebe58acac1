/** Random integers below a bound, the same in every run with this seed (mulberry32). */
export function seeded(seed) {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

export const oneOf = (random, list) => list[random(list.length)]

/** The list in another order. */
export function shuffled(random, list) {
  const copy = [...list]
  for (let left = copy.length; left > 1; left -= 1) {
    const index = random(left)
    ;[copy[left - 1], copy[index]] = [copy[index], copy[left - 1]]
  }
  return copy
}
