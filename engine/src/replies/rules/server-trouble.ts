/** The server, the network or the conversation failed: nothing is said of the mailbox, and nothing held against us. */
import type { Rule } from './rule.ts';

export const serverTroubleRules: readonly Rule[] = [
  {
    // Trouble that a permanent code calls temporary all the same is worth asking again.
    reason: 'try_again_later',
    label: 'greylisted_or_temporary',
    when: {
      classes: [5],
      text: [
        '(try|retry|send|resend) ~ (later|again)',
        '(temporary|temporarily|transient|temporaire|temporairement|vorubergehend|voruebergehend|temporal|temporalmente|temporario|temporariamente|temporaneo|temporaneamente|tijdelijk|временно)',
        '(retry|delivery|message|queue) (time|timeout|lifetime) (has|was)? (expired|exceeded)',
        '(message|delivery) (has|was)? expired',
        'retry timeout exceeded',
        '(reessayer|reessayez|spater erneut|spaeter erneut|mas tarde|mais tarde|piu tardi|later opnieuw|позже)',
      ],
      unlessEnhanced: ['*.7.*'],
      unless: [
        '(block|blocked|abuse|ban|banned) ~ (your|ip|ipaddr|address|host)',
        '(your|ip|ipaddr|host) ~ (blocked|banned)',
      ],
    },
    samples: ['550 Service is down for maintenance, try again later', '554 Temporary failure in delivery'],
  },
  {
    reason: 'server_storage',
    label: 'greylisted_or_temporary',
    when: {
      classes: [4],
      text: [
        '(insufficient|not enough|no|out of|low) ~ (storage|disk|space|memory|resources)',
        '(system|server|spool|queue|disk|filesystem) ~ full',
      ],
    },
    samples: ['452 4.3.1 Insufficient system storage', '452 4.4.5 Not enough disk space; come back tomorrow'],
  },
  {
    // The administrator has to act; asking again soon is of no use, whatever the class.
    reason: 'server_failure',
    label: 'other',
    when: { text: ['(license|licence|subscription) (has|is|was)? (expired|invalid|exceeded|ended)'] },
    samples: ['452 the licence has expired'],
  },
  {
    reason: 'server_failure',
    label: 'other',
    when: {
      classes: [5],
      text: [
        '(local|internal|system|server|configuration|database|ldap|dns|lookup|routing|mailer|network|software|backend|unexpected|unknown|processing|general|protocol|delivery) (server)? (error|failure|problem|fault|exception|trouble|issue)',
        '(mail|routing|forwarding|delivery)? (loop|loops|looping)',
        '(too many|maximum|exceeded) ~ (hops|received headers|hop count)',
        '(hop count)',
        '(timed out|timeout|time out|connection lost|connection reset|connection closed|no answer|unreachable|no route)',
        '(service|server|system|host) (is|was|currently)? (unavailable|not available|down|shutting down|offline|closing)',
        'transaction failed',
        '(unable|failed|cannot|could not|failure) (to)? (deliver|process|queue|write|open|create|complete|save|store|forward|route|execute|accept)',
        '(delivery|requested action|action|operation|request|command|mail action) (was|has)? (failed|aborted|not taken|error)',
        '(insufficient|not enough|no|out of) ~ (storage|disk|space|memory|resources)',
        '(pipe|program|exec|mailer|procmail|maildrop) ~ (failed|error|exit*|exited|returned)',
      ],
      // Under x.7.x it is a refusal that calls itself a failure.
      unlessEnhanced: ['*.7.*'],
      unless: ['access (is)? (denied|blocked|refused)'],
    },
    samples: [
      '554 Transaction failed, sorry',
      '554 5.4.6 Too many hops',
      '550 Internal server error',
      '554 5.3.0 mail loop found',
      '554 Service unavailable',
    ],
  },
  {
    // RFC 5321 section 4.2.4: the command, its order or its form was not understood.
    reason: 'command_refused',
    label: 'other',
    when: {
      classes: [5],
      text: [
        '(bad|improper|wrong|out of|invalid) (sequence|order)',
        '(syntax) (error|errors|invalid|problem)?',
        '(command|commands|verb|parameter|parameters|argument|arguments|option|keyword|smtputf8|8bitmime|pipelining|extension) ~ (unrecognized|unrecognised|unknown|not (recognized|recognised|implemented|supported|understood|known|permitted)|unsupported|unimplemented|invalid|too long|missing|disabled|expected|not)',
        '(unrecognized|unrecognised|unknown|unimplemented|unsupported|invalid|illegal) (smtp)? (command|parameter|option|verb|argument)',
        '(need|send|expect*|must|say|issue|no) ~ (mail|rcpt|helo|ehlo|data|hello|recipients?) ~ (first|before|command)',
        '(nested|duplicate) (mail|helo)',
        '(polite people say)',
        '(sequence error|line too long|protocol violation|synchronization error)',
        'no valid recipients',
        '(non ascii|smtputf8|internationali*) ~ (not|unsupported|required)',
      ],
    },
    samples: [
      '503 5.5.1 Bad sequence of commands, RCPT comes after MAIL',
      '500 5.5.2 Error: command not recognized',
      '501 Syntax error in parameters or arguments',
      '502 5.5.1 VRFY command is disabled',
      '503 Polite people say HELO first',
    ],
  },
];
