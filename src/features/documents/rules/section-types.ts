/** The kinds of sections of a document template. */
export const SECTION_TYPES = [
  'cover-page',
  'text-block',
  'two-column',
  'table',
  'product-table',
  'product-showcase',
  'image-block',
  'signature-block',
  'signer-input',
  'divider',
  'page-break',
  'quote-callout',
  'terms-conditions',
  'guarantee',
  'doc-header',
  'doc-footer',
  'dynamic-pricing',
  'dynamic-products',
  'dynamic-timeline',
  'dynamic-executive-summary',
  'dynamic-needs-solutions',
  'dynamic-recommendations',
  'dynamic-callout',
  'dynamic-guarantee',
  'rich-content',
  'product-brochure',
] as const
export type SectionType = (typeof SECTION_TYPES)[number]

/** `cover-page`, `CoverPage` and `cover_page` as cover-page. */
export const kebabCase = (text: string): string =>
  text
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[\s_-]+/g, '-')
    .toLowerCase()

export const toSectionType = (text: string): SectionType | undefined => SECTION_TYPES.find((type) => type === kebabCase(text))

/** The input fields of a signer. */
export const SIGNER_INPUTS = ['text', 'date', 'checkbox', 'initials'] as const
