/** The server, the network or the conversation failed: nothing is said of the mailbox, and nothing held against us. */
import { patienceAbroad } from './languages/all-languages.ts';
import type { Rule } from './rule.ts';

export const serverTroubleRules: readonly Rule[] = [
  {
    // Trouble that a permanent code still calls temporary is worth another attempt.
    reason: 'try_again_later',
    label: 'greylisted_or_temporary',
    when: {
      classes: [5],
      text: {
        '(try|retry|send|resend) ~ (later|again)': '550 Service is down for maintenance, try again later',
        ...patienceAbroad,
        '(temporary|temporarily|transient)': '554 Temporary failure in delivery',
        '(retry|delivery|message|queue) (time|timeout|lifetime) (has|was)? (expired|exceeded)':
          '550 Message lifetime has expired',
        '(message|delivery) (has|was)? expired': '554 5.4.7 Delivery expired',
        '(in|on) (the|our)? queue (for)? too long': '550 This message has been in the queue too long',
        '(multiple|several|repeated|too many) (retries|tries)': '554 Given back after multiple retries',
        '(retry time not reached|long failure period|giving up on)': '550 Giving up on mx.example.com',
        'retry timeout exceeded': '550 retry timeout exceeded',
      },
      unlessEnhanced: ['*.7.*'],
      unless: {
        '(check|correct) (the|your)? (domain|address|recipient|spelling) ~ (try|send|retry)':
          '554 The domain cannot be reached, check the domain and try again',
        '(block|blocked|abuse|ban|banned) ~ (your|ip|ipaddr|address|host)':
          '550 A temporary block of your address',
      },
    },
  },
  {
    reason: 'server_storage',
    label: 'greylisted_or_temporary',
    when: {
      classes: [4],
      text: {
        '(insufficient|not enough|no|out of|low) ~ (storage|disk|space|memory|resources)':
          '452 4.3.1 Insufficient system storage',
        '(system|server|spool|queue|disk|filesystem) ~ full': '452 4.3.1 Mail system full',
      },
    },
    samples: ['452 4.4.5 Not enough disk space; come back tomorrow'],
  },
  {
    // The administrator has to act; another attempt soon is of no use, whatever the class.
    reason: 'server_failure',
    label: 'other',
    when: {
      text: {
        '(license|licence) (has|is|was)? (expired|invalid|exceeded|ended)': '452 the licence has expired',
        '(spam|antispam|filter|filtering|virus|antivirus|security|gateway|server|system|update|updates) (service|protection)? subscription ~ (expired|ended)':
          '550 The subscription of the filter: server subscription expired',
      },
    },
  },
  {
    reason: 'server_failure',
    label: 'other',
    when: {
      classes: [5],
      text: {
        '(local|internal|system|server|configuration|database|ldap|dns|lookup|routing|mailer|network|software|backend|unexpected|unknown|processing|general|protocol|delivery) (server)? (error|failure|problem|fault|exception|trouble|issue)':
          '550 Internal server error',
        '(mail|routing|forwarding|delivery)? (loop|loops|looping)': '554 5.3.0 mail loop found',
        '(too many|maximum|exceeded) ~ (hops|received headers|hop count)': '554 5.4.6 Too many hops',
        '(hop count)': '554 5.4.6 Hop count',
        '(timed out|timeout|time out|connection lost|connection reset|connection closed|no answer|unreachable|no route)':
          '554 5.4.1 No answer from the host behind',
        '(service|server|system|host) (is|was|currently)? (unavailable|not available|down|shutting down|offline|closing)':
          '554 Service unavailable',
        'transaction failed': '554 Transaction failed, sorry',
        '(unable|failed|cannot|could not|failure) (to)? (deliver|process|queue|write|open|create|complete|save|store|forward|route|execute|accept)':
          '554 5.3.0 Unable to open the output file',
        '(delivery|requested action|action|operation|request|command|mail action) (was|has)? (failed|aborted|not taken|error)':
          '554 Requested action aborted',
        '(insufficient|not enough|no|out of) ~ (storage|disk|space|memory|resources)':
          '554 5.3.1 Out of memory',
        '(pipe|program|exec|mailer|procmail|maildrop) ~ (failed|error|exit*|exited|returned)':
          '554 5.3.0 The mailer exited with 75',
      },
      // Under x.7.x it is a refusal that calls itself a failure.
      unlessEnhanced: ['*.7.*'],
      unless: {
        'access (is)? (denied|blocked|refused)': '554 Transaction failed: access denied',
      },
    },
  },
  {
    // RFC 5321 section 4.2.4: the command, its order or its form was not understood.
    reason: 'command_refused',
    label: 'other',
    when: {
      classes: [5],
      text: {
        '(bad|improper|wrong|out of|invalid) (sequence|order)':
          '503 5.5.1 Bad sequence of commands, RCPT comes after MAIL',
        '(syntax) (error|errors|invalid|problem)?': '501 Syntax error in parameters or arguments',
        '(command|commands|verb|parameter|parameters|argument|arguments|option|keyword|smtputf8|8bitmime|pipelining|extension) ~ (unrecognized|unrecognised|unknown|not (recognized|recognised|implemented|supported|understood|known|permitted)|unsupported|unimplemented|invalid|too long|missing|disabled|expected|not)':
          '500 5.5.2 Error: command not recognized',
        '(unrecognized|unrecognised|unknown|unimplemented|unsupported|invalid|illegal) (smtp)? (command|parameter|option|verb|argument)':
          '500 Unrecognized command',
        '(need|send|expect*|must|say|issue|no) ~ (mail|rcpt|helo|ehlo|data|hello|recipients?) ~ (first|before|command)':
          '503 Polite people say HELO first',
        '(nested|duplicate) (mail|helo)': '503 5.5.1 nested MAIL',
        '(polite people say)': '503 Polite people say HELO first',
        '(sequence error|line too long)': '500 5.5.2 Line too long',
        'no valid recipients': '554 5.5.1 No valid recipients',
        '(non ascii|smtputf8|internationali*) ~ (not|unsupported|required)': '553 5.6.7 SMTPUTF8 is required',
      },
    },
    samples: ['502 5.5.1 VRFY command is disabled'],
  },
];
