/**
 * What a page may do: it loads the scripts and pages of this host only, and the sites that are named may show it in a frame. `forms` are the places
 * that its forms may lead to, redirects included; `images` those that its images come from.
 */
export const pagePolicy = (frames: string, forms = "'self'", images = ''): Record<string, string> => ({
  'Content-Security-Policy': `default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline';${images && ` img-src ${images};`} form-action ${forms}; base-uri 'none'; frame-ancestors ${frames}`,
})

/** The policy of a page that the sites may show in a frame, with images of these origins. */
export const policyFor = (sites: string[], images: string[] = []) =>
  pagePolicy(sites.length > 0 ? sites.join(' ') : "'none'", undefined, images.join(' '))
