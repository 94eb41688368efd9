import { ownMember } from '../../policy/json-members';
import { isPending, type NoteProblem, PENDING, scalarText } from '../../template/values';
import { isObject } from '../kernel/json';
import { isLookedUp } from './parameters';
import type { Template } from './template';
import type { TemplateScope } from './template-scope';

/** Whether something is true; undefined if a value is not known. */
type Truth = boolean | undefined;

/**
 * Checks the assertions of the section `Rules`, as CloudFormation does before it creates or updates anything. A rule that depends on a
 * parameter from SSM is not checked: the CDK's own rule asks for the version of its bootstrap stack, which is not needed here.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html
 */
export function checkRules(template: Template, scope: TemplateScope, note: NoteProblem): void {
  for (const [name, rule] of Object.entries(template.rules)) {
    const noteHere: NoteProblem = problem => note(`Rules.${name}: ${problem}`);
    if (!isObject(rule) || !Array.isArray(rule['Assertions'])) {
      noteHere('Assertions must be a list');
      continue;
    }
    const reader = new RuleReader(template, scope, noteHere);
    if (rule['RuleCondition'] !== undefined && reader.isTrue(rule['RuleCondition']) !== true) continue;
    for (const assertion of rule['Assertions']) {
      const { Assert, AssertDescription } = isObject(assertion) ? assertion : {};
      if (reader.isTrue(Assert) === false) {
        noteHere(scalarText(AssertDescription) ?? `the assertion is false: ${JSON.stringify(Assert)}`);
      }
    }
  }
}

class RuleReader {
  constructor(
    private readonly template: Template,
    private readonly scope: TemplateScope,
    private readonly note: NoteProblem,
  ) {}

  isTrue(value: unknown): Truth {
    const result = this.valueOf(value);
    if (isPending(result)) return undefined;
    if (result === true || result === 'true') return true;
    if (result === false || result === 'false') return false;
    this.note(`a condition must be true or false, got ${JSON.stringify(value)}`);
    return undefined;
  }

  /** The value of a rule's function, or the value itself. */
  private valueOf(value: unknown): unknown {
    if (Array.isArray(value)) {
      const items = value.map(item => this.valueOf(item));
      return items.some(isPending) ? PENDING : items;
    }
    if (!isObject(value)) return value;
    const [[name, given] = ['', undefined], ...others] = Object.entries(value);
    const evaluate = others.length === 0 && Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (evaluate) return evaluate(given, this);
    this.note(`${name} is not implemented in rules by the embedded AWS`);
    return PENDING;
  }

  /** The arguments of a function; undefined if one is not known. */
  known(given: unknown): readonly unknown[] | undefined {
    const values = this.valueOf(Array.isArray(given) ? given : [given]);
    return Array.isArray(values) ? values : undefined;
  }

  ref(name: unknown): unknown {
    const declaration = ownMember(this.template.parameters, String(name));
    if (isLookedUp(declaration)) return PENDING;
    return this.scope.ref(String(name), problem => {
      this.note(`Ref ${problem}`);
      return PENDING;
    });
  }

  /** The values of all parameters of a type. */
  refAll(type: unknown): readonly unknown[] {
    const isOfType = ([, declaration]: [string, unknown]) => isObject(declaration) && declaration['Type'] === type;
    return Object.entries(this.template.parameters)
      .filter(isOfType)
      .map(([name]) => this.ref(name));
  }
}

type RuleFunction = (given: unknown, reader: RuleReader) => unknown;

const truths = (given: unknown, reader: RuleReader): readonly Truth[] =>
  Array.isArray(given) ? given.map(it => reader.isTrue(it)) : [reader.isTrue(given)];

const orPending = (truth: Truth): unknown => truth ?? PENDING;

/** A function of two values that are known. */
const comparing =
  (compare: (first: unknown, second: unknown) => boolean): RuleFunction =>
  (given, reader) => {
    const values = reader.known(given);
    return values ? compare(values[0], values[1]) : PENDING;
  };

const isEqual = (a: unknown, b: unknown): boolean => (scalarText(a) ?? a) === (scalarText(b) ?? b);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.flat() : [value]);

/** Without those that read attributes of existing resources: `Fn::ValueOf` and `Fn::ValueOfAll`. */
const FUNCTIONS: Readonly<Record<string, RuleFunction>> = {
  Ref: (name, reader) => reader.ref(name),
  'Fn::And': (given, reader) => {
    const all = truths(given, reader);
    return orPending(all.includes(false) ? false : all.includes(undefined) ? undefined : true);
  },
  'Fn::Or': (given, reader) => {
    const all = truths(given, reader);
    return orPending(all.includes(true) ? true : all.includes(undefined) ? undefined : false);
  },
  'Fn::Not': (given, reader) => {
    const [truth] = truths(given, reader);
    return truth === undefined ? PENDING : !truth;
  },
  'Fn::Equals': comparing(isEqual),
  'Fn::Contains': comparing((list, value) => listOf(list).some(item => isEqual(item, value))),
  'Fn::EachMemberEquals': comparing((list, value) => listOf(list).every(item => isEqual(item, value))),
  'Fn::EachMemberIn': comparing((list, others) =>
    listOf(list).every(item => listOf(others).some(other => isEqual(item, other))),
  ),
  'Fn::RefAll': (type, reader) => {
    const values = reader.refAll(type);
    return values.some(isPending) ? PENDING : values;
  },
};
