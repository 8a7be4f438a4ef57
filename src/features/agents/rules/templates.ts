import { FEEDBACK_TEMPLATES, SALES_TEMPLATES, SERVICE_TEMPLATES } from './template-texts.ts'
import type { VoiceToolName } from './voice-tools.ts'

export const TEMPLATE_CATEGORIES = ['sales', 'service', 'reputation', 'feedback'] as const
export const TEMPLATE_DIRECTIONS = ['inbound', 'outbound'] as const
export const QUESTION_TYPES = ['text', 'long_text', 'event_type', 'phone_number', 'transfer_number', 'email'] as const
export type QuestionType = (typeof QUESTION_TYPES)[number]

export type TemplateQuestion = { key: string; label: string; type: QuestionType; required: boolean; default: string | null }
/** A paragraph of the prompt with `{answers}`; one that `needs` an answer is left out without it. */
export type Paragraph = { needs?: string; text: string }
export type VoiceTemplate = {
  slug: string
  name: string
  description: string
  category: (typeof TEMPLATE_CATEGORIES)[number]
  direction: (typeof TEMPLATE_DIRECTIONS)[number]
  /** What the agent can do, in words. */
  includes: string[]
  questions: TemplateQuestion[]
  greeting: string
  prompt: Paragraph[]
  tools: { needs?: string; names: VoiceToolName[] }[]
}

export const TEMPLATES: readonly VoiceTemplate[] = [...SALES_TEMPLATES, ...SERVICE_TEMPLATES, ...FEEDBACK_TEMPLATES]
export const templateOf = (slug: string): VoiceTemplate | undefined => TEMPLATES.find((one) => one.slug === slug)

export type Answers = Record<string, string>
type Fault = { path: string; message: string }

/** The answers with the defaults of those that are blank, and what is wrong with them. */
export function answersOf({ questions }: VoiceTemplate, given: Record<string, string | null>): { answers: Answers; faults: Fault[] } {
  const faults: Fault[] = Object.keys(given)
    .filter((key) => !questions.some((question) => question.key === key))
    .map((key) => ({
      path: `answers.${key}`,
      message: `is no question of this template: it asks ${questions.map((one) => one.key).join(', ')}`,
    }))
  const answers: Answers = {}
  for (const { key, label, required, default: byDefault } of questions) {
    const answer = given[key]?.trim() || byDefault
    if (answer) answers[key] = answer
    else if (required) faults.push({ path: `answers.${key}`, message: `is required: ${label}` })
  }
  return { answers, faults }
}

const filled = (text: string, answers: Answers) => text.replace(/\{(\w+)\}/g, (_, key: string) => answers[key] ?? '')
const isAnswered = (answers: Answers, needs: string | undefined) => needs === undefined || answers[needs] !== undefined

/** The prompt, the greeting and the tools that follow from the answers. */
export function compose({ prompt, greeting, tools }: VoiceTemplate, answers: Answers) {
  return {
    prompt: prompt
      .filter(({ needs }) => isAnswered(answers, needs))
      .map(({ text }) => filled(text, answers))
      .join('\n\n'),
    greeting: filled(greeting, answers),
    tools: tools.filter(({ needs }) => isAnswered(answers, needs)).flatMap(({ names }) => names),
  }
}

/** The optional questions without an answer, whose parts are left out. */
export const leftOut = ({ questions }: VoiceTemplate, answers: Answers): TemplateQuestion[] =>
  questions.filter(({ key, required }) => !required && answers[key] === undefined)
