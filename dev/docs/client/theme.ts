import { load } from './storage.ts'

// Runs before the page is painted, so that no reader sees the other colours first.
const theme = load('theme')
if (theme) document.documentElement.dataset.theme = theme
document.documentElement.dataset.language = load('language') ?? 'curl'
document.documentElement.classList.add('scripted')
