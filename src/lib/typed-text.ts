/** A text with a media type of its own, where a caller's format is not the one that an endpoint usually sends. */
export class TypedText {
  readonly text: string
  readonly type: string

  constructor(text: string, type: string) {
    this.text = text
    this.type = type
  }
}
export type Text = string | TypedText
