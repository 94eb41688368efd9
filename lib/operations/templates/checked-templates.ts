import path from 'node:path';
import { CfnResource, type IPolicyValidationContext, type PolicyValidationStack, Stack } from 'aws-cdk-lib';
import type { Finding } from '../../../diagnosis/checks/finding';
import { checkedStages } from '../../../diagnosis/template-reader/checked-stages';
import type { TemplateStack } from '../../../template/template-stack';
import { synthesizedTemplate } from './synthesized-template';

/** What was found in an app's templates. */
export interface CheckedTemplates {
  readonly findings: readonly Finding[];
  readonly unread: readonly Unread[];
}

/** Something that could not be read. */
export interface Unread {
  readonly says: string;
  /** The construct of a stack it was read with. */
  readonly stackPath: string;
}

type Paths = Map<string, Map<string, string>>;

/** The construct behind each logical id, by the template's file: templates need not tell. */
function pathsByTemplate({ appConstruct }: IPolicyValidationContext): Paths {
  const paths: Paths = new Map();
  for (const construct of appConstruct.node.findAll()) {
    if (!CfnResource.isCfnResource(construct)) continue;
    const { stack } = construct;
    const ofTemplate = paths.get(stack.templateFile) ?? new Map<string, string>();
    paths.set(stack.templateFile, ofTemplate.set(String(stack.resolve(construct.logicalId)), construct.node.path));
  }
  return paths;
}

function stackNames({ appConstruct }: IPolicyValidationContext): ReadonlyMap<string, string> {
  const stacks = appConstruct.node.findAll().filter(it => Stack.isStack(it));
  return new Map(stacks.map(stack => [stack.node.path, stack.stackName]));
}

/** Stacks of a stage lie in a folder of their own, and are deployed together. */
function byStage(stacks: readonly PolicyValidationStack[]): PolicyValidationStack[][] {
  const stages = new Map<string, PolicyValidationStack[]>();
  for (const stack of stacks) {
    const folder = path.dirname(stack.templatePath);
    stages.set(folder, [...(stages.get(folder) ?? []), stack]);
  }
  return [...stages.values()];
}

/** Checks the templates that CDK hands to a plugin, those of each stage together. */
export function checkedTemplates(context: IPolicyValidationContext): CheckedTemplates {
  const paths = pathsByTemplate(context);
  const names = stackNames(context);
  const pathsOf = (templatePath: string) => paths.get(path.basename(templatePath)) ?? new Map<string, string>();
  const asStack = ({ templatePath, stackConstructPath, accountId, region }: PolicyValidationStack): TemplateStack => {
    const stackName = names.get(stackConstructPath) ?? path.posix.basename(stackConstructPath);
    return { ...synthesizedTemplate(templatePath, pathsOf), stackName, account: accountId, region };
  };
  const stages = byStage(context.stackTemplates);
  const checked = checkedStages(stages.map(stacks => stacks.map(asStack)));
  const unread = checked.flatMap(({ inventory }, index) => {
    const stackPath = stages[index]?.[0]?.stackConstructPath ?? '';
    return (inventory.unread ?? []).map(says => ({ says, stackPath }));
  });
  return { findings: checked.flatMap(({ findings }) => findings), unread };
}
