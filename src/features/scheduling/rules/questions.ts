import { isCalendarDate } from '../../../lib/text.ts'
import { MOST_ANSWER } from './limits.ts'

export const QUESTION_TYPES = ['text', 'number', 'yes_no', 'date', 'choice'] as const
export type QuestionType = (typeof QUESTION_TYPES)[number]

/** What the booker is asked. `options` are the answers of a choice. */
export type Question = { key: string; label: string; type: QuestionType; required: boolean; options: string[] }
/** An answer with the question as it was asked. */
export type BookerAnswer = { key: string; label: string; answer: string }

export type AnswerFault = { index: number | null; key: string; message: string }

const YES = /^(yes|y|true|1)$/i
const NO = /^(no|n|false|0)$/i

/** The stored form of an answer, or what it must be. */
function answerTo({ type, options }: Question, text: string): { answer: string } | { fault: string } {
  switch (type) {
    case 'number':
      return /^[+-]?\d+(\.\d+)?$/.test(text) ? { answer: text } : { fault: 'must be a number, such as 12 or 12.5' }
    case 'date':
      return isCalendarDate(text) ? { answer: text } : { fault: 'must be a date, such as 2026-12-01' }
    case 'yes_no':
      return YES.test(text) ? { answer: 'yes' } : NO.test(text) ? { answer: 'no' } : { fault: 'must be yes or no' }
    case 'choice': {
      const chosen = options.find((option) => option.toLowerCase() === text.toLowerCase())
      return chosen === undefined ? { fault: `must be one of: ${options.join(', ')}` } : { answer: chosen }
    }
    default:
      return text.length <= MOST_ANSWER ? { answer: text } : { fault: `must be at most ${MOST_ANSWER} characters long` }
  }
}

/** Reads answers as they were sent, and finds what is wrong with them. An empty text is no answer. */
export function readAnswers(
  questions: readonly Question[],
  sent: readonly { key: string; text: string; index: number | null }[],
): { answers: BookerAnswer[]; faults: AnswerFault[] } {
  const faults: AnswerFault[] = []
  const answers = new Map<string, BookerAnswer>()
  for (const { key, text, index } of sent) {
    const question = questions.find((each) => each.key === key)
    if (!question) {
      const keys = questions.map((each) => each.key)
      const message = keys.length > 0 ? `is about an unknown question: the keys are ${keys.join(', ')}` : 'the event type has no questions'
      faults.push({ index, key, message })
      continue
    }
    const trimmed = text.trim()
    if (trimmed === '') continue
    if (answers.has(key)) faults.push({ index, key, message: `answers the question ${key} twice` })
    const read = answerTo(question, trimmed)
    if ('fault' in read) faults.push({ index, key, message: `the answer to ${key} ${read.fault}` })
    else answers.set(key, { key, label: question.label, answer: read.answer })
  }
  const answered = (key: string) => answers.has(key) || faults.some((fault) => fault.key === key)
  for (const { key, label, required } of questions)
    if (required && !answered(key)) faults.push({ index: null, key, message: `has no answer to the question ${key}: ${label}` })
  return { answers: questions.flatMap(({ key }) => answers.get(key) ?? []), faults }
}

/** Splits `key=answer`; undefined without an equals sign. */
export function splitAnswer(line: string): { key: string; text: string } | undefined {
  const at = line.indexOf('=')
  return at < 1 ? undefined : { key: line.slice(0, at).trim(), text: line.slice(at + 1) }
}
