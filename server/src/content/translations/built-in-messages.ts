/**
 * Texts that Carillon itself puts into mails, in the languages it brings (as those of pages: page-messages.ts). A tenant's
 * translations with the same keys and in the same language take precedence.
 */
export interface MailMessages {
  'links.open': string
  'links.unsubscribe': string
  'links.preferences': string
}

export const BUILT_IN_MESSAGES: MailMessages = {
  'links.open': 'Open',
  'links.unsubscribe': 'Unsubscribe',
  'links.preferences': 'Manage notifications',
}

/** By locale in lower case. */
export const MAIL_MESSAGES: Record<string, MailMessages> = {
  en: BUILT_IN_MESSAGES,
  de: {
    'links.open': 'Öffnen',
    'links.unsubscribe': 'Abmelden',
    'links.preferences': 'Benachrichtigungen verwalten',
  },
  fr: {
    'links.open': 'Ouvrir',
    'links.unsubscribe': 'Se désabonner',
    'links.preferences': 'Gérer les notifications',
  },
  es: {
    'links.open': 'Abrir',
    'links.unsubscribe': 'Darse de baja',
    'links.preferences': 'Gestionar las notificaciones',
  },
  pt: {
    'links.open': 'Abrir',
    'links.unsubscribe': 'Cancelar a inscrição',
    'links.preferences': 'Gerenciar notificações',
  },
  ja: {
    'links.open': '開く',
    'links.unsubscribe': '配信停止',
    'links.preferences': '通知の設定',
  },
  ar: {
    'links.open': 'فتح',
    'links.unsubscribe': 'إلغاء الاشتراك',
    'links.preferences': 'إدارة الإشعارات',
  },
}
