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
