/** The pages that people see, in Spanish. */
import type { PageMessages } from './en.ts'

export const ES: PageMessages = {
  'page.channel.in_app': 'En la aplicación',
  'page.channel.email': 'Correo electrónico',
  'page.channel.sms': 'SMS',
  'page.channel.push': 'Push',
  'page.channel.chat': 'Chat',
  'page.channel.webhook': 'Webhook',
  'page.by.in_app': 'en la aplicación',
  'page.by.email': 'por correo electrónico',
  'page.by.sms': 'por SMS',
  'page.by.push': 'por notificación push',
  'page.by.chat': 'por chat',
  'page.by.webhook': 'por webhook',

  'page.preferences.title': 'Sus notificaciones',
  'page.preferences.intro': 'Elija qué le envía {$sender} y cuándo.',
  'page.preferences.intro_unnamed': 'Elija qué le enviamos y cuándo.',
  'page.preferences.saved': 'Guardado. Los cambios se aplican desde ahora.',
  'page.preferences.invalid':
    'No se ha guardado nada. Escriba horas como 22:00, elija una zona horaria de la lista y un final de la pausa que esté en el futuro.',
  'page.preferences.save': 'Guardar',

  'page.what.title': 'Qué recibe',
  'page.what.caption': 'Qué recibe por cada canal',
  'page.what.category': 'Tema',
  'page.what.everything': 'Todo',
  'page.what.hint': '«Todo» activa o desactiva un canal entero, también para los mensajes urgentes.',
  'page.what.required': 'Imprescindible, por lo que se envía siempre',
  'page.what.hint_required':
    '«Todo» activa o desactiva un canal entero, también para los mensajes urgentes, pero no lo que se envía siempre.',

  'page.often.title': 'Con qué frecuencia',
  'page.often.message': 'Al momento',
  'page.often.hour': 'Una vez por hora',
  'page.often.day': 'Una vez al día',
  'page.often.week': 'Una vez por semana',
  'page.often.at': 'Hora de los resúmenes diarios y semanales',
  'page.often.on': 'Día de los resúmenes semanales',
  'page.often.hint':
    'Un resumen reúne varios mensajes en uno. Los mensajes urgentes y su bandeja de entrada nunca se retrasan.',

  'page.quiet.title': 'Horas de silencio',
  'page.quiet.switch': 'Retener los mensajes durante estas horas',
  'page.quiet.from': 'Desde',
  'page.quiet.until': 'Hasta',
  'page.quiet.days': 'En estos días',
  'page.quiet.more': 'Otras horas para otros días',
  'page.quiet.invalid':
    'No se ha guardado nada. Las horas de silencio deben tener un inicio y un final distintos y no pueden ocupar toda la semana.',
  'page.quiet.zone': 'Zona horaria',
  'page.quiet.hint':
    'Los mensajes urgentes se envían a cualquier hora. Los de su bandeja de entrada no suenan y no se retienen.',

  'page.pause.title': 'Pausa',
  'page.pause.length': 'Retener todos los mensajes',
  'page.pause.none': 'Sin pausa',
  'page.pause.hour': 'Durante una hora',
  'page.pause.tomorrow': 'Hasta mañana, {$time}',
  'page.pause.week': 'Durante una semana',
  'page.pause.until': 'Hasta una fecha y hora',
  'page.pause.end': 'Fin de la pausa',
  'page.pause.hint':
    'Los mensajes esperan a que termine la pausa. Los urgentes se envían igualmente y su bandeja de entrada lo muestra todo.',
  'page.pause.active': 'En pausa hasta el {$until}.',
  'page.pause.active_on': '{$channels}: en pausa hasta el {$until}.',
  'page.pause.stop': 'Terminar la pausa ahora',

  'page.unsubscribe.title': '¿Darse de baja?',
  'page.unsubscribe.category': 'Ya no recibirá mensajes sobre «{$category}» {$by}.',
  'page.unsubscribe.channel': 'Ya no recibirá mensajes {$by}.',
  'page.unsubscribe.channel_except': 'Ya no recibirá mensajes {$by}, salvo sobre: {$categories}.',
  'page.unsubscribe.thread':
    'Ya no recibirá mensajes sobre «{$thread}», salvo cuando alguien se dirija directamente a usted.',
  'page.unsubscribe.confirm': 'Darse de baja',
  'page.unsubscribed.title': 'Baja realizada',
  'page.unsubscribed.undo': 'Deshacer o cambiar qué más recibe',

  'page.required.title': 'No es posible darse de baja de estos mensajes',
  'page.required.text': 'Los mensajes sobre «{$category}» se envían siempre. No se ha cambiado nada.',
  'page.required.change': 'Cambiar qué más recibe',

  'page.expired.title': 'Este enlace ha caducado',
  'page.expired.text': 'Vuelva a abrir la configuración desde donde encontró el enlace.',
  'page.broken.title': 'Este enlace no funciona',
  'page.broken.text':
    'Puede que falte una parte. Copie la dirección completa o vuelva a abrir el enlace desde donde lo encontró.',
}
