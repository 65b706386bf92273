/** The pages that people see, in French. */
import type { PageMessages } from './en.ts'

export const FR: PageMessages = {
  'page.channel.in_app': 'Dans l’application',
  'page.channel.email': 'E-mail',
  'page.channel.sms': 'SMS',
  'page.channel.push': 'Push',
  'page.channel.chat': 'Messagerie',
  'page.channel.webhook': 'Webhook',
  'page.by.in_app': 'dans l’application',
  'page.by.email': 'par e-mail',
  'page.by.sms': 'par SMS',
  'page.by.push': 'par notification push',
  'page.by.chat': 'par messagerie',
  'page.by.webhook': 'par webhook',

  'page.preferences.title': 'Vos notifications',
  'page.preferences.intro': 'Choisissez ce que {$sender} vous envoie, et quand.',
  'page.preferences.intro_unnamed': 'Choisissez ce que nous vous envoyons, et quand.',
  'page.preferences.saved': 'Enregistré. Vos modifications s’appliquent dès maintenant.',
  'page.preferences.invalid':
    'Rien n’a été enregistré. Saisissez des heures comme 22:00, choisissez un fuseau horaire dans la liste et une fin de pause à venir.',
  'page.preferences.save': 'Enregistrer',

  'page.what.title': 'Ce que vous recevez',
  'page.what.caption': 'Ce que vous recevez, par canal',
  'page.what.category': 'Sujet',
  'page.what.everything': 'Tout',
  'page.what.hint': '« Tout » active ou désactive un canal entier, y compris pour les messages urgents.',
  'page.what.required': 'Indispensable, donc toujours envoyé',
  'page.what.hint_required':
    '« Tout » active ou désactive un canal entier, y compris pour les messages urgents, mais pas ce qui est toujours envoyé.',

  'page.often.title': 'À quelle fréquence',
  'page.often.message': 'Immédiatement',
  'page.often.hour': 'Une fois par heure',
  'page.often.day': 'Une fois par jour',
  'page.often.week': 'Une fois par semaine',
  'page.often.at': 'Heure des récapitulatifs quotidiens et hebdomadaires',
  'page.often.on': 'Jour des récapitulatifs hebdomadaires',
  'page.often.hint':
    'Un récapitulatif réunit plusieurs messages en un seul. Les messages urgents et votre boîte de réception ne sont jamais retardés.',

  'page.quiet.title': 'Heures calmes',
  'page.quiet.switch': 'Retenir les messages pendant ces heures',
  'page.quiet.from': 'De',
  'page.quiet.until': 'À',
  'page.quiet.days': 'Ces jours-là',
  'page.quiet.more': 'D’autres heures pour d’autres jours',
  'page.quiet.invalid':
    'Rien n’a été enregistré. Les heures calmes doivent avoir un début et une fin différents et ne peuvent pas couvrir toute la semaine.',
  'page.quiet.zone': 'Fuseau horaire',
  'page.quiet.hint':
    'Les messages urgents sont envoyés à toute heure. Ceux de votre boîte de réception sont silencieux et ne sont pas retenus.',

  'page.pause.title': 'Pause',
  'page.pause.length': 'Retenir tous les messages',
  'page.pause.none': 'Pas de pause',
  'page.pause.hour': 'Pendant une heure',
  'page.pause.tomorrow': 'Jusqu’à demain {$time}',
  'page.pause.week': 'Pendant une semaine',
  'page.pause.until': 'Jusqu’à une date et une heure',
  'page.pause.end': 'Fin de la pause',
  'page.pause.hint':
    'Les messages attendent la fin de la pause. Les messages urgents sont tout de même envoyés, et votre boîte de réception affiche tout.',
  'page.pause.active': 'En pause jusqu’au {$until}.',
  'page.pause.active_on': '{$channels} : en pause jusqu’au {$until}.',
  'page.pause.stop': 'Mettre fin à la pause',

  'page.unsubscribe.title': 'Vous désabonner ?',
  'page.unsubscribe.category': 'Vous ne recevrez plus de messages au sujet de « {$category} » {$by}.',
  'page.unsubscribe.channel': 'Vous ne recevrez plus de messages {$by}.',
  'page.unsubscribe.channel_except':
    'Vous ne recevrez plus de messages {$by}, sauf au sujet de : {$categories}.',
  'page.unsubscribe.thread':
    'Vous ne recevrez plus de messages au sujet de « {$thread} », sauf si quelqu’un s’adresse directement à vous.',
  'page.unsubscribe.confirm': 'Se désabonner',
  'page.unsubscribed.title': 'Désabonnement effectué',
  'page.unsubscribed.undo': 'Annuler ou modifier vos autres préférences',

  'page.required.title': 'Vous ne pouvez pas vous désabonner de ces messages',
  'page.required.text':
    'Les messages au sujet de « {$category} » sont toujours envoyés. Rien n’a été modifié.',
  'page.required.change': 'Modifier vos autres préférences',

  'page.expired.title': 'Ce lien a expiré',
  'page.expired.text': 'Ouvrez de nouveau vos préférences là où vous avez trouvé ce lien.',
  'page.broken.title': 'Ce lien ne fonctionne pas',
  'page.broken.text':
    'Il en manque peut-être une partie. Copiez l’adresse complète, ou ouvrez de nouveau le lien là où vous l’avez trouvé.',
}
