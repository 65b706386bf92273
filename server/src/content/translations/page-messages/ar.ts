/** The pages that people see, in Arabic. */
import type { PageMessages } from './en.ts'

export const AR: PageMessages = {
  'page.channel.in_app': 'داخل التطبيق',
  'page.channel.email': 'البريد الإلكتروني',
  'page.channel.sms': 'الرسائل النصية',
  'page.channel.push': 'الإشعارات الفورية',
  'page.channel.chat': 'الدردشة',
  'page.channel.webhook': 'Webhook',
  'page.by.in_app': 'داخل التطبيق',
  'page.by.email': 'عبر البريد الإلكتروني',
  'page.by.sms': 'عبر الرسائل النصية',
  'page.by.push': 'عبر الإشعارات الفورية',
  'page.by.chat': 'عبر الدردشة',
  'page.by.webhook': 'عبر Webhook',

  'page.preferences.title': 'إشعاراتك',
  'page.preferences.intro': 'يمكنك اختيار ما يصلك من {$sender} ومتى يصلك.',
  'page.preferences.intro_unnamed': 'يمكنك اختيار ما يصلك منا ومتى يصلك.',
  'page.preferences.saved': 'تم الحفظ. تسري تغييراتك من الآن.',
  'page.preferences.invalid':
    'لم يُحفظ أي شيء. يُرجى كتابة الأوقات بالشكل 22:00، واختيار منطقة زمنية من القائمة، وتحديد نهاية للإيقاف المؤقت في المستقبل.',
  'page.preferences.save': 'حفظ',

  'page.what.title': 'ما يصلك',
  'page.what.caption': 'ما يصلك عبر كل قناة',
  'page.what.category': 'الموضوع',
  'page.what.everything': 'الكل',
  'page.what.hint': 'خيار «الكل» يشغّل القناة بأكملها أو يوقفها، بما في ذلك الرسائل العاجلة.',
  'page.what.required': 'ضروري، لذلك يُرسل دائمًا',
  'page.what.hint_required':
    'خيار «الكل» يشغّل القناة بأكملها أو يوقفها، بما في ذلك الرسائل العاجلة، باستثناء ما يُرسل دائمًا.',

  'page.often.title': 'عدد المرات',
  'page.often.message': 'فورًا',
  'page.often.hour': 'مرة كل ساعة',
  'page.often.day': 'مرة كل يوم',
  'page.often.week': 'مرة كل أسبوع',
  'page.often.at': 'وقت إرسال الملخصات اليومية والأسبوعية',
  'page.often.on': 'يوم إرسال الملخصات الأسبوعية',
  'page.often.hint':
    'يجمع الملخص عدة رسائل في رسالة واحدة. لا تتأخر أبدًا الرسائل العاجلة ولا رسائل صندوق الوارد في التطبيق.',

  'page.quiet.title': 'ساعات الهدوء',
  'page.quiet.switch': 'تأجيل الرسائل خلال هذه الساعات',
  'page.quiet.from': 'من',
  'page.quiet.until': 'إلى',
  'page.quiet.days': 'في هذه الأيام',
  'page.quiet.more': 'ساعات أخرى في أيام أخرى',
  'page.quiet.invalid':
    'لم يُحفظ أي شيء. يجب أن تكون لساعات الهدوء بداية ونهاية مختلفتان، وألا تشمل الأسبوع كله.',
  'page.quiet.zone': 'المنطقة الزمنية',
  'page.quiet.hint':
    'تُرسل الرسائل العاجلة في أي وقت. أما رسائل صندوق الوارد في التطبيق فلا تُصدر صوتًا ولا تُؤجَّل.',

  'page.pause.title': 'إيقاف مؤقت',
  'page.pause.length': 'تأجيل جميع الرسائل',
  'page.pause.none': 'بلا إيقاف',
  'page.pause.hour': 'لمدة ساعة',
  'page.pause.tomorrow': 'حتى الغد، الساعة {$time}',
  'page.pause.week': 'لمدة أسبوع',
  'page.pause.until': 'حتى تاريخ ووقت محددين',
  'page.pause.end': 'نهاية الإيقاف المؤقت',
  'page.pause.hint':
    'تنتظر الرسائل حتى نهاية الإيقاف المؤقت. تظل الرسائل العاجلة تُرسل، ويعرض صندوق الوارد في التطبيق كل شيء.',
  'page.pause.active': 'الإيقاف المؤقت سارٍ حتى {$until}.',
  'page.pause.active_on': '{$channels}: الإيقاف المؤقت سارٍ حتى {$until}.',
  'page.pause.stop': 'إنهاء الإيقاف المؤقت الآن',

  'page.unsubscribe.title': 'هل تريد إلغاء الاشتراك؟',
  'page.unsubscribe.category': 'لن تصلك بعد الآن رسائل عن «{$category}» {$by}.',
  'page.unsubscribe.channel': 'لن تصلك بعد الآن رسائل {$by}.',
  'page.unsubscribe.channel_except': 'لن تصلك بعد الآن رسائل {$by}، باستثناء ما يخص: {$categories}.',
  'page.unsubscribe.thread': 'لن تصلك بعد الآن رسائل عن «{$thread}»، إلا إذا خاطبك أحد مباشرةً.',
  'page.unsubscribe.confirm': 'إلغاء الاشتراك',
  'page.unsubscribed.title': 'تم إلغاء الاشتراك',
  'page.unsubscribed.undo': 'التراجع عن ذلك أو تغيير ما يصلك أيضًا',

  'page.required.title': 'لا يمكن إلغاء الاشتراك في هذه الرسائل',
  'page.required.text': 'تُرسل دائمًا الرسائل عن «{$category}». لم يتغير أي شيء.',
  'page.required.change': 'تغيير ما يصلك أيضًا',

  'page.expired.title': 'انتهت صلاحية هذا الرابط',
  'page.expired.text': 'يُرجى فتح إعدادات الإشعارات مجددًا من المكان الذي وجدت فيه الرابط.',
  'page.broken.title': 'هذا الرابط لا يعمل',
  'page.broken.text': 'ربما ينقصه جزء. يُرجى نسخ العنوان كاملًا، أو فتح الرابط مجددًا من المكان الذي وجدته فيه.',
}
