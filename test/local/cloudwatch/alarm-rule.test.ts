import fc from 'fast-check';
import { alarmsIn, holds } from '../../../local/cloudwatch/alarms/composite/alarm-rule';
import { parseAlarmRule } from '../../../local/cloudwatch/alarms/composite/rule-parser';
import { alarmArn } from './fixture';

describe('an alarm rule', () => {
  const STATES: Readonly<Record<string, 'OK' | 'ALARM' | 'INSUFFICIENT_DATA'>> = {
    a: 'ALARM',
    b: 'OK',
    c: 'INSUFFICIENT_DATA',
    'with space': 'ALARM',
    [alarmArn('a')]: 'ALARM',
  };

  test.each<[string, boolean]>([
    ['TRUE', true],
    ['FALSE', false],
    ['ALARM(a)', true],
    ['ALARM("a")', true],
    ['OK( b )', true],
    ['INSUFFICIENT_DATA(c)', true],
    ['ALARM(b)', false],
    ['ALARM(nobody)', false],
    ['ALARM(with space)', true],
    ['ALARM("with space")', true],
    [`ALARM(${alarmArn('a')})`, true],
    ['NOT ALARM(b)', true],
    ['NOT NOT ALARM(a)', true],
    // AND binds tighter than OR, NOT tighter than both
    ['TRUE OR TRUE AND FALSE', true],
    ['(TRUE OR TRUE) AND FALSE', false],
    ['NOT FALSE AND FALSE', false],
    ['NOT(FALSE AND FALSE)', true],
    ['ALARM(a)AND OK(b)', true],
    ['AT_LEAST(2, ALARM, (a, b, with space))', true],
    ['AT_LEAST(3, ALARM, (a, b, "with space"))', false],
    ['AT_LEAST(50%, NOT ALARM, (a, b, c))', true],
    ['AT_LEAST(1, OK, (a, c))', false],
  ])('%s is %s', (text, isTrue) => {
    expect(holds(parseAlarmRule(text), name => STATES[name])).toBe(isTrue);
  });

  test('names its alarms', () => {
    expect(alarmsIn(parseAlarmRule('ALARM(a) AND (OK(b) OR NOT AT_LEAST(1, OK, (c, "d")))'))).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  const beginnings = "'(', 'NOT', AT_LEAST, TRUE or FALSE, ALARM, OK, or INSUFFICIENT_DATA";
  test.each([
    // recorded
    ['GARBAGE(not a rule', `Unsupported token 'GARBAGE' at char 0, must be: ${beginnings}`],
    ['ALARM(a) AND', `Unsupported token '' at char 12, must be: ${beginnings}`],
    ['ALARM(a) OK(b)', "Unsupported token 'OK' at char 9, must be: AND, OR, or the end of the rule"],
    ['ALARM()', "Unsupported token ')' at char 6, must be: the name or ARN of an alarm"],
    ['ALARM(a', "Unsupported token '' at char 7, must be: ')'"],
    ['AT_LEAST(many, ALARM, (a))', "Unsupported token 'many' at char 9, must be: a number or a percentage"],
    ['('.repeat(500), 'It is nested more than 100 deep'],
  ])('%s is none', (text, problem) => {
    expect(() => parseAlarmRule(text)).toThrow(
      expect.objectContaining({ code: 'ValidationError', message: `Error in AlarmRule [${problem}]` }),
    );
  });
});

test("whatever somebody writes as a rule is read, or refused by AWS's text", () => {
  const part = fc.constantFrom(
    'ALARM(',
    'OK(',
    'AT_LEAST(',
    '2',
    '%',
    ',',
    'NOT',
    'AND',
    'OR',
    '(',
    ')',
    '"',
    'a b',
    'TRUE',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 15 }), parts => {
      let problem = '';
      try {
        parseAlarmRule(parts.join(' '));
      } catch (error) {
        problem = error instanceof Error ? error.message : 'something else';
      }
      expect(problem).toMatch(/^$|^Error in AlarmRule \[/);
    }),
  );
});
