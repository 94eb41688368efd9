import { basename } from 'node:path';
import { nestedStackPath, pathsIn } from '../../template/construct-metadata';
import { isPending, type NoteProblem, PENDING, scalarText } from '../../template/values';
import { isObject, type JsonObject } from '../kernel/json';
import type { StackArtifact } from './assembly';
import type { ParameterValues } from './parameters';
import type { PropertyReader } from './property-reader';
import type { AwaitedContext, AwaitedResourceType, CreatedResource } from './resource-type';
import { NESTED_STACK_TYPE } from './template';
import { readTemplateFile } from './template-body';

interface NestedStack {
  readonly templateUrl: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface NestedStackEnd {
  readonly id: string;
  readonly outputs: readonly { readonly logicalId: string; readonly value: string }[];
}

/** What happens to nested stacks. Undefined when it failed; the problem is recorded. */
interface NestedStacks {
  create(
    nested: NestedStack,
    properties: PropertyReader,
    names: { readonly name: string; readonly logicalId: string; readonly parentId: string },
  ): Promise<NestedStackEnd | undefined>;
  update(
    nested: NestedStack,
    properties: PropertyReader,
    context: AwaitedContext,
    stackId: string,
  ): Promise<NestedStackEnd | undefined>;
  delete(stackId: string): Promise<void>;
}

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html */
const LONGEST_STACK_NAME = 128;

/**
 * A nested stack. Its attributes are its outputs: `Outputs.QueueUrl`.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-stack.html
 */
export function nestedStackType(stacks: NestedStacks): AwaitedResourceType {
  const read = (properties: PropertyReader): NestedStack => {
    const templateUrl = properties.requiredString('TemplateURL');
    const parameters = readParameters(properties);
    properties.withoutEffect('NotificationARNs', 'Tags', 'TimeoutInMinutes');
    return { templateUrl, parameters };
  };
  const described = (end: NestedStackEnd | undefined): CreatedResource | undefined => {
    const values = end?.outputs.map(({ logicalId, value }) => [`Outputs.${logicalId}`, value] as const);
    return end && { ref: end.id, attributes: Object.fromEntries(values ?? []) };
  };
  return {
    type: NESTED_STACK_TYPE,
    runsCode: false,
    async createInTime(properties, context) {
      const { logicalId, stackId: parentId } = context;
      const nested = read(properties);
      const names = { name: context.physicalName(LONGEST_STACK_NAME), logicalId, parentId };
      return described(await stacks.create(nested, properties, names));
    },
    async updateInTime(properties, context, { ref }) {
      return described(await stacks.update(read(properties), properties, context, ref));
    },
    deleteInTime: ({ ref }) => stacks.delete(ref),
  };
}

function readParameters(properties: PropertyReader): Readonly<Record<string, string>> {
  const given = Object.entries(properties.document('Parameters') ?? {}).map(([name, value]) => {
    const text = parameterText(value);
    if (text === undefined) properties.problem(`Parameters.${name}`, 'must be a string', value);
    return [name, text ?? ''] as const;
  });
  return Object.fromEntries(given);
}

/** A list is passed as its items joined with commas. */
function parameterText(value: unknown): string | undefined {
  if (!Array.isArray(value)) return scalarText(value);
  const items = value.map(scalarText);
  return items.includes(undefined) ? undefined : items.join(',');
}

/** The parameters of a nested stack, as far as they are known before the first resource exists. */
export function previewedParameters(properties: JsonObject): ParameterValues {
  const given = isObject(properties['Parameters']) ? properties['Parameters'] : {};
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      isPending(value) ? PENDING : (parameterText(value) ?? PENDING),
    ]),
  );
}

/** Whether the template of a nested stack is on this machine. */
export const isNestedHere = ({ assets }: StackArtifact, templateUrl: string): boolean =>
  assets.has(basename(templateUrl));

/**
 * The nested stack as an artifact of its own; undefined, with the problem recorded, when its template is not in the
 * assembly.
 */
export function nestedArtifact(
  parent: StackArtifact,
  { name, logicalId }: { readonly name: string; readonly logicalId: string },
  templateUrl: string,
  note: NoteProblem,
): StackArtifact | undefined {
  const path = parent.assets.get(basename(templateUrl));
  if (path === undefined) {
    note(`TemplateURL must be a file asset of the assembly, got ${JSON.stringify(templateUrl)}`);
    return undefined;
  }
  const template = readTemplateFile(path, note);
  if (!template) return undefined;
  const { environment, notificationArns, assets, constructs = [] } = parent;
  const scope = nestedStackPath(parent.paths.get(logicalId) ?? '');
  const paths = pathsIn(constructs, scope);
  return { name, template, environment, parameters: {}, notificationArns, paths, constructs, assets };
}
