/*
 * The service writes the members of a profile in snake case; programs, state and reviews in camel case.
 * Nothing here knows the provider's own table.
 */

export function inCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
