/** What customers call the models. The deployment says which model of its provider each is. */
export const MODELS = ['standard', 'small'] as const
export type ModelName = (typeof MODELS)[number]

export type Tokens = { input_tokens: number; output_tokens: number }

/** Tokens that a credit pays for, of what a model reads and of what it writes. */
export const TOKENS_PER_CREDIT: Readonly<Record<ModelName, { input: number; output: number }>> = {
  standard: { input: 2_000, output: 400 },
  small: { input: 8_000, output: 1_600 },
}

const exact = (model: ModelName, { input_tokens, output_tokens }: Tokens) =>
  input_tokens / TOKENS_PER_CREDIT[model].input + output_tokens / TOKENS_PER_CREDIT[model].output

/** What tokens cost, in whole credits. */
export const creditsFor = (model: ModelName, tokens: Tokens): number => Math.ceil(exact(model, tokens))

/** What the provider adds to a request that we do not see, such as the instructions for tools, in tokens. */
const OVERHEAD = 500
const BYTES_PER_TOKEN = { least: 2, usual: 4 }

const bytesOf = (text: string) => new TextEncoder().encode(text).length
/** The most tokens that a request of this content may have. */
export const mostTokens = (content: string): number => OVERHEAD + Math.ceil(bytesOf(content) / BYTES_PER_TOKEN.least)
/** The tokens that a text probably has, for an answer whose usage is not known. */
export const usualTokens = (text: string): number => Math.ceil(bytesOf(text) / BYTES_PER_TOKEN.usual)

/** Fewer tokens are no answer. */
const LEAST_OUTPUT = 50

/**
 * The tokens that the next answer may have, so that the run costs no more than `credits`: those of `used`, of the content that is sent, and
 * of the answer together. Undefined when the credits are not enough.
 */
export function outputWithin(model: ModelName, credits: number, used: Tokens, content: string, most: number): number | undefined {
  const sent = { input_tokens: used.input_tokens + mostTokens(content), output_tokens: used.output_tokens }
  const left = Math.floor((credits - exact(model, sent)) * TOKENS_PER_CREDIT[model].output)
  return left < LEAST_OUTPUT ? undefined : Math.min(left, most)
}

export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  input_tokens: a.input_tokens + b.input_tokens,
  output_tokens: a.output_tokens + b.output_tokens,
})
