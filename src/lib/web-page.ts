/** A response to a visitor's browser: a page with another status than 200, a redirect, or a file. */
export class WebPage {
  readonly status: number
  readonly text: string
  readonly headers: Record<string, string>
  constructor(status: number, text: string, headers: Record<string, string> = {}) {
    this.status = status
    this.text = text
    this.headers = headers
  }
}

/** Sends the browser to another address with a GET, so that a reload repeats nothing. */
export const redirectTo = (location: string) => new WebPage(303, '', { Location: location })
