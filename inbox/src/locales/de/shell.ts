import type { ShellWords } from '../shell-words.ts'

export const shell: ShellWords = {
  title: 'Benachrichtigungen',
  unread: { one: 'Benachrichtigungen, {count} ungelesen', other: 'Benachrichtigungen, {count} ungelesen' },
  tabs: { inbox: 'Eingang', saved: 'Gemerkt', done: 'Erledigt' },
  readAll: 'Alle als gelesen markieren',
  groupBy: 'Gruppieren nach',
  settings: 'Einstellungen',
  back: 'Zurück zu den Benachrichtigungen',
  close: 'Schließen',
  filter: 'Benachrichtigungen filtern',
  filterExample: 'Filter, etwa is:unread',
  clearFilter: 'Filter zurücksetzen',
  saveFilter: 'Filter speichern',
  removeFilter: 'Gespeicherten Filter entfernen',
  empty: {
    inbox: {
      title: 'Alles erledigt',
      text: 'Neue Benachrichtigungen erscheinen hier, sobald etwas geschieht.',
    },
    saved: { title: 'Nichts gemerkt', text: 'Was Sie sich merken, bleibt hier, bis Sie es entfernen.' },
    done: { title: 'Noch nichts erledigt', text: 'Was Sie erledigt haben, finden Sie hier wieder.' },
    filter: { title: 'Keine Treffer', text: 'Nichts passt zu diesem Filter.' },
  },
  offline: {
    title: 'Keine Verbindung',
    text: 'Ihre Benachrichtigungen erscheinen, sobald die Verbindung wieder da ist.',
  },
  offlineNotice: 'Keine Verbindung. Sie sehen den letzten Stand; er aktualisiert sich von selbst.',
  unreachable: {
    title: 'Gerade nicht verfügbar',
    text: 'Ihre Benachrichtigungen lassen sich im Moment nicht laden. Diese Seite versucht es weiter.',
  },
  failed: {
    title: 'Das konnte nicht geladen werden',
    text: 'Etwas ist schiefgegangen. Versuchen Sie es gleich noch einmal.',
  },
  filterProblem: {
    title: 'Dieser Filter funktioniert nicht',
    text: 'Korrigieren Sie ihn oben oder setzen Sie ihn zurück.',
  },
  signedOut: {
    title: 'Ihre Sitzung ist abgelaufen',
    text: 'Melden Sie sich wieder an, um Ihre Benachrichtigungen zu sehen.',
  },
  retry: 'Noch einmal versuchen',
  undo: 'Rückgängig',
  refused: 'Das hat nicht geklappt. Es wurde nichts geändert.',
  dismiss: 'Ausblenden',
  more: { one: 'und {count} weitere', other: 'und {count} weitere' },
}
