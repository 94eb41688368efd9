import { doctorText } from '../../../bin/doctor/doctor-text';
import type { Examined } from '../../../bin/doctor/examined';
import { plainPaint } from '../../../bin/paint';
import type { Finding } from '../../../diagnosis/checks/finding';

const ARN = 'arn:aws:sqs:us-east-1:123456789012:orders';

const FINDING: Finding = {
  id: 'queue-keeps-nothing',
  severity: 'loses',
  resource: { arn: ARN, name: 'orders' },
  about: [ARN],
  says: 'The queue orders\u{1b}[2J has no dead-letter queue, and loses what its consumer fails on.',
  fix: { says: 'Give the queue\u{1b}[2J a dead-letter queue that keeps messages for longer than it does itself.' },
};

const EXAMINED: Examined = {
  what: 'the account 123456789012 in us-east-1',
  region: 'us-east-1',
  inventories: [],
  findings: [FINDING],
  acknowledgedCount: 0,
  unread: [],
};

test.each([60, 80])('sentences of a finding are broken at %i columns, and steer no terminal', width => {
  const text = doctorText(EXAMINED, [FINDING], { site: { options: {} }, paint: plainPaint, width });
  const sentences = text.split('\n').filter(line => /^ {4}/.test(line) && !line.includes('https:'));
  expect(sentences.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...sentences.map(line => line.length))).toBeLessThanOrEqual(width);
  expect(text).not.toMatch(/[^\P{Cc}\n]/u);
});
