/** The 35 sellers of the public data set "CRM Sales Opportunities", by the time zone of their office. */
export const SELLERS: Record<string, string[]> = {
  'America/New_York': (
    'Violet Mclelland,Corliss Cosme,Rosie Papadopoulos,Garret Kinder,Wilburn Farren,Elizabeth Anderson,Daniell Hammack,Cassey ' +
    'Cress,Donn Cantrell,Reed Clapper,Boris Faz,Natalya Ivanova'
  ).split(','),
  'America/Chicago': (
    'Anna Snelling,Cecily Lampkin,Versie Hillebrand,Lajuana Vencill,Moses Frase,Jonathan Berthelot,Marty Freudenburg,Gladys ' +
    'Colclough,Niesha Huffines,Darcel Schlecht,Mei-Mei Johns'
  ).split(','),
  'America/Los_Angeles': (
    'Vicki Laflamme,Rosalina Dieter,Hayden Neloms,Markita Hansen,Elease Gluck,Carol Thompson,James Ascencio,Kary Hendrixson,Kami ' +
    'Bicknell,Zane Levy,Maureen Marcano,Carl Lin'
  ).split(','),
}
