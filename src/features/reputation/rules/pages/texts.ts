import type { Language } from '../../../pages/rules/languages.ts'

const en = {
  locale: 'en-AU',
  language: 'Language',
  website: 'Website',
  reviews: 'What clients say',
  no_reviews: 'There are no reviews yet.',
  case_studies: 'Case studies',
  rating: (rating: string, count: string, isOne: boolean) => `${rating} out of 5, from ${count} ${isOne ? 'review' : 'reviews'}`,
  stars: (rating: number) => `${rating} out of 5`,
  answer: (name: string) => `Response from ${name}`,
  more: 'More reviews',
  first: 'To the first reviews',
  back: 'All reviews',
  client: 'Client',
  service: 'Service',
  not_found: 'This page does not exist',
  not_found_text: 'The address is wrong, or the page is no longer open.',
  many: 'Too many requests',
  many_text: 'Wait a minute, and try again.',
  failed: 'Something went wrong',
  failed_text: 'Try again in a minute.',
}
export type ReputationTexts = typeof en

const de: ReputationTexts = {
  locale: 'de-DE',
  language: 'Sprache',
  website: 'Website',
  reviews: 'Was Kunden sagen',
  no_reviews: 'Noch gibt es keine Bewertungen.',
  case_studies: 'Referenzen',
  rating: (rating, count, isOne) => `${rating} von 5, aus ${count} ${isOne ? 'Bewertung' : 'Bewertungen'}`,
  stars: (rating) => `${rating} von 5`,
  answer: (name) => `Antwort von ${name}`,
  more: 'Weitere Bewertungen',
  first: 'Zu den ersten Bewertungen',
  back: 'Alle Bewertungen',
  client: 'Kunde',
  service: 'Leistung',
  not_found: 'Diese Seite gibt es nicht',
  not_found_text: 'Die Adresse ist falsch, oder die Seite ist nicht mehr geöffnet.',
  many: 'Zu viele Anfragen',
  many_text: 'Warten Sie eine Minute und versuchen Sie es noch einmal.',
  failed: 'Etwas ist schiefgegangen',
  failed_text: 'Versuchen Sie es in einer Minute noch einmal.',
}

export const REPUTATION_TEXTS: Record<Language, ReputationTexts> = { en, de }
