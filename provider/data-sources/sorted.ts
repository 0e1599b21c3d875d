/** In an order that does not depend on the service: otherwise outputs would change without a change on the tenant. */
export function sortedById<Item extends { id: string }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : 1));
}
