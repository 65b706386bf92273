/** The pages that people see, in German. */
import type { PageMessages } from './en.ts'

export const DE: PageMessages = {
  'page.channel.in_app': 'In der App',
  'page.channel.email': 'E-Mail',
  'page.channel.sms': 'SMS',
  'page.channel.push': 'Push',
  'page.channel.chat': 'Chat',
  'page.channel.webhook': 'Webhook',
  'page.by.in_app': 'in der App',
  'page.by.email': 'per E-Mail',
  'page.by.sms': 'per SMS',
  'page.by.push': 'als Push-Mitteilung',
  'page.by.chat': 'per Chat',
  'page.by.webhook': 'per Webhook',

  'page.preferences.title': 'Ihre Benachrichtigungen',
  'page.preferences.intro': 'Legen Sie fest, was Sie von {$sender} erhalten und wann.',
  'page.preferences.intro_unnamed': 'Legen Sie fest, was Sie von uns erhalten und wann.',
  'page.preferences.saved': 'Gespeichert. Ihre Änderungen gelten ab sofort.',
  'page.preferences.invalid':
    'Es wurde nichts gespeichert. Geben Sie Uhrzeiten wie 22:00 ein, wählen Sie eine Zeitzone aus der Liste und für eine Pause ein Ende in der Zukunft.',
  'page.preferences.save': 'Speichern',

  'page.what.title': 'Was Sie erhalten',
  'page.what.caption': 'Was Sie auf welchem Weg erhalten',
  'page.what.category': 'Thema',
  'page.what.everything': 'Alles',
  'page.what.hint': '„Alles“ schaltet einen ganzen Weg ein oder aus, auch für dringende Nachrichten.',
  'page.what.required': 'Unverzichtbar, daher immer gesendet',
  'page.what.hint_required':
    '„Alles“ schaltet einen ganzen Weg ein oder aus, auch für dringende Nachrichten, aber nicht für das, was immer gesendet wird.',

  'page.often.title': 'Wie oft',
  'page.often.message': 'Sofort',
  'page.often.hour': 'Einmal pro Stunde',
  'page.often.day': 'Einmal am Tag',
  'page.often.week': 'Einmal pro Woche',
  'page.often.at': 'Tägliche und wöchentliche Übersichten um',
  'page.often.on': 'Wöchentliche Übersichten am',
  'page.often.hint':
    'Eine Übersicht fasst mehrere Nachrichten zusammen. Dringende Nachrichten und Ihr Posteingang in der App werden nie verzögert.',

  'page.quiet.title': 'Ruhezeiten',
  'page.quiet.switch': 'Nachrichten in dieser Zeit zurückhalten',
  'page.quiet.from': 'Von',
  'page.quiet.until': 'Bis',
  'page.quiet.days': 'An diesen Tagen',
  'page.quiet.more': 'Weitere Zeiten an anderen Tagen',
  'page.quiet.invalid':
    'Es wurde nichts gespeichert. Ruhezeiten brauchen einen Beginn und ein anderes Ende und dürfen nicht die ganze Woche umfassen.',
  'page.quiet.zone': 'Zeitzone',
  'page.quiet.hint':
    'Dringende Nachrichten kommen zu jeder Zeit. Nachrichten im Posteingang der App sind lautlos und werden nicht zurückgehalten.',

  'page.pause.title': 'Pause',
  'page.pause.length': 'Alle Nachrichten zurückhalten',
  'page.pause.none': 'Keine Pause',
  'page.pause.hour': 'Eine Stunde lang',
  'page.pause.tomorrow': 'Bis morgen um {$time}',
  'page.pause.week': 'Eine Woche lang',
  'page.pause.until': 'Bis zu einem bestimmten Zeitpunkt',
  'page.pause.end': 'Ende der Pause',
  'page.pause.hint':
    'Nachrichten warten, bis die Pause vorbei ist. Dringende Nachrichten kommen trotzdem, und in der App sehen Sie weiterhin alles.',
  'page.pause.active': 'Pausiert bis {$until}.',
  'page.pause.active_on': '{$channels}: pausiert bis {$until}.',
  'page.pause.stop': 'Pause jetzt beenden',

  'page.unsubscribe.title': 'Abmelden?',
  'page.unsubscribe.category': 'Sie erhalten künftig {$by} keine Nachrichten mehr zum Thema „{$category}“.',
  'page.unsubscribe.channel': 'Sie erhalten künftig {$by} keine Nachrichten mehr.',
  'page.unsubscribe.channel_except':
    'Sie erhalten künftig {$by} keine Nachrichten mehr, außer zu: {$categories}.',
  'page.unsubscribe.thread':
    'Sie erhalten keine Nachrichten mehr zu „{$thread}“, außer wenn jemand Sie direkt anspricht.',
  'page.unsubscribe.confirm': 'Abmelden',
  'page.unsubscribed.title': 'Abgemeldet',
  'page.unsubscribed.undo': 'Rückgängig machen oder weitere Einstellungen ändern',

  'page.required.title': 'Hiervon können Sie sich nicht abmelden',
  'page.required.text':
    'Nachrichten zum Thema „{$category}“ werden immer gesendet. Es wurde nichts geändert.',
  'page.required.change': 'Weitere Einstellungen ändern',

  'page.expired.title': 'Dieser Link ist abgelaufen',
  'page.expired.text': 'Öffnen Sie die Einstellungen noch einmal dort, wo Sie den Link gefunden haben.',
  'page.broken.title': 'Dieser Link funktioniert nicht',
  'page.broken.text':
    'Vielleicht fehlt ein Teil davon. Kopieren Sie die vollständige Adresse, oder öffnen Sie den Link noch einmal dort, wo Sie ihn gefunden haben.',
}
