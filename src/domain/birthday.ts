export const MERGE_TAGS = ['first_name', 'last_name', 'company_name', 'age'] as const

/** Returns the unknown merge tags of a template. Braces around anything but a single word, as in CSS, are not a tag. */
export function unknownTags(template: string): string[] {
  const tags = [...template.matchAll(/\{\s*([\p{L}_][\p{L}\p{N}_]*)\s*\}/gu)].map(([tag]) => tag)
  return [...new Set(tags)].filter((tag) => !MERGE_TAGS.some((known) => tag === `{${known}}`))
}
