/** Derives a role's key from its name: `Field sales (VIC)` becomes `field_sales_vic`. Undefined for a name without Latin letters. */
export function keyOfName(name: string): string | undefined {
  const words = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const key = words
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+/, '')
    .slice(0, 60)
    .replace(/_$/, '')
  return key === '' ? undefined : key
}
