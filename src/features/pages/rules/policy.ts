/**
 * What a page may do: it loads the scripts and pages of this host only, and the sites that are named may show it in a frame. `forms` are
 * the places that its forms may lead to, redirects included; `images` those that its images come from; `challenge` that of its challenge,
 * which is a script and a frame.
 */
export const pagePolicy = (frames: string, forms = "'self'", images = '', challenge = ''): Record<string, string> => ({
  'Content-Security-Policy':
    `default-src 'none'; script-src 'self'${challenge && ` ${challenge}; frame-src ${challenge}`}; connect-src 'self'; ` +
    `style-src 'unsafe-inline';${images && ` img-src ${images};`} form-action ${forms}; base-uri 'none'; frame-ancestors ${frames}`,
})

/** The policy of a page that the sites may show in a frame, with images of these origins, and a challenge of this one. */
export const policyFor = (sites: string[], images: string[] = [], challenge?: string) =>
  pagePolicy(sites.length > 0 ? sites.join(' ') : "'none'", undefined, images.join(' '), challenge)
