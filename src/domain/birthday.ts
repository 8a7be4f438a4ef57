export const MERGE_TAGS = ['first_name', 'last_name', 'company_name', 'age'] as const

/** The merge tags of a template that do not exist. Braces around anything but a word, as in a style sheet, are no tag. */
export function unknownTags(template: string): string[] {
  const tags = [...template.matchAll(/\{\s*([\p{L}_][\p{L}\p{N}_]*)\s*\}/gu)].map(([tag]) => tag)
  return [...new Set(tags)].filter((tag) => !MERGE_TAGS.some((known) => tag === `{${known}}`))
}
