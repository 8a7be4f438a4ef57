import { load } from './storage.ts'

// Runs before the page is painted, so that the wrong colours never appear.
const theme = load('theme')
if (theme) document.documentElement.dataset.theme = theme
document.documentElement.dataset.language = load('language') ?? 'curl'
document.documentElement.classList.add('scripted')
