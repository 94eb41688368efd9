import { isE164, MAIL_ADDRESS, PHONE_NUMBER, phoneKey } from '../../policy/address-formats';

describe('an email address', () => {
  test.each(['a@b', 'ops@example.com', 'ops+orders@mail.example.com'])('may be %s', text => {
    expect(text).toMatch(MAIL_ADDRESS);
  });

  test.each([
    '',
    'ops',
    '@example.com',
    'ops@',
    'ops@example@com',
    'the ops@example.com',
    'ops@example.com now',
    'o ps@b',
  ])('must not be %j', text => {
    expect(text).not.toMatch(MAIL_ADDRESS);
  });
});

describe('a phone number', () => {
  test.each(['15550', '+1 (555) 010-0100', '+1.555.0100', '1/555/0100'])('of a subscription may be %s', text => {
    expect(text).toMatch(PHONE_NUMBER);
  });

  test.each([
    '',
    '1555',
    '++15550100',
    'a15550100',
    '15550100a',
    '(555) 0100',
    '+1 555 x 0100',
    '+15--551234567',
    '+15551234567.',
  ])('of a subscription must not be %j', text => {
    expect(text).not.toMatch(PHONE_NUMBER);
  });

  test.each(['+12', '15550100', '+123456789012345'])('%s is a number in the format E.164', text => {
    expect(isE164(text)).toBe(true);
  });

  test.each(['', '+1', '+05550100', '+1234567890123456', '+1 5550100', 'x+15550100', '+1555a', '+15550100x'])(
    '%j is not in the format E.164',
    text => {
      expect(isE164(text)).toBe(false);
    },
  );

  test('is the same with and without separators', () => {
    expect(['+1 (555) 0100', '15550100'].map(phoneKey)).toEqual(['+15550100', '+15550100']);
  });
});
