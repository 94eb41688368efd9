import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CfnResource, type IPolicyValidationContext, type PolicyValidationStack, Stack } from 'aws-cdk-lib';
import { type AssemblyFiles, synthesizedTemplate } from '../../template/synthesized-template';
import type { TemplateStack } from '../../template/template-stack';

type Paths = Map<string, Map<string, string>>;

/** The construct paths of each template by logical id. A template need not contain them. */
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

/** Groups stacks by stage: the stacks of a stage are in one folder and are deployed together. */
function byStage(stacks: readonly PolicyValidationStack[]): PolicyValidationStack[][] {
  const stages = new Map<string, PolicyValidationStack[]>();
  for (const stack of stacks) {
    const folder = path.dirname(stack.templatePath);
    stages.set(folder, [...(stages.get(folder) ?? []), stack]);
  }
  return [...stages.values()];
}

const FILES: AssemblyFiles = {
  list: folder => readdirSync(folder),
  exists: existsSync,
  readText: file => readFileSync(file, 'utf8'),
  folderOf: path.dirname,
  join: path.join,
};

/** Reads the templates that CDK passes to a plugin. The stacks of a stage are deployed together. */
export function stagesOf(context: IPolicyValidationContext): readonly (readonly TemplateStack[])[] {
  const paths = pathsByTemplate(context);
  const names = stackNames(context);
  const pathsIn = (templatePath: string) => paths.get(path.basename(templatePath)) ?? new Map<string, string>();
  const asStack = ({ templatePath, stackConstructPath, accountId, region }: PolicyValidationStack): TemplateStack => {
    const stackName = names.get(stackConstructPath) ?? path.posix.basename(stackConstructPath);
    const read = synthesizedTemplate(FILES, templatePath, pathsIn);
    return { ...read, stackName, stackPath: stackConstructPath, account: accountId, region };
  };
  return byStage(context.stackTemplates).map(stacks => stacks.map(asStack));
}
