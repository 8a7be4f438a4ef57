/** Descriptions of the named schemas of notepads and training. */
export const NOTE_SCHEMAS: Record<string, string> = {
  Notepad: 'A notepad without its content.',
  NotepadDetails: 'A notepad with its content.',
  NotepadVersion: 'An earlier content of a notepad, without the text.',
  NotepadVersionDetails: 'An earlier content of a notepad.',
  AutoResponder: 'What is done about messages to a phone number or an email config.',
  AutoResponderTest: 'What an auto responder would do about a message.',
  Skill: 'What a model is to do with an input: instructions, tools, limits.',
  SkillRun: 'A run of a skill: its output, its calls of tools, and what it has used.',
  TrainingCanvas: 'A board of training cards.',
  TrainingCanvasDetails: 'A board of training cards, with its cards.',
  TrainingCard: 'A card, with what it shows.',
  TrainingProgress: 'How far a member is with a card.',
  TrainingMemberProgress: 'How far a member is with the cards of a canvas.',
}

/** Descriptions of their fields (see FIELDS). */
export const NOTE_FIELDS: Record<string, string> = {
  notepad_id: 'The notepad.',
  canvas_id: 'The canvas that has the card.',
  card_id: 'The card.',
  sort_order: 'The place: lower ones come first.',
  started_at: 'When it was started.',
  done_at: 'When it was done.',
  level: 'What the access includes.',
}
