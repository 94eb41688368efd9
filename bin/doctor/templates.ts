import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { BadInput, messageOf } from '../../account/errors';
import { readTemplateBody, stackNameOf } from '../../local/cloudformation/template-body';
import { isObject, type JsonObject, listOfOneOrMore } from '../../policy/json-members';
import type { NestedTemplate, ReadTemplate, TemplateStack } from '../../template/template-stack';
import { readStacks, resourceProblem, type StackGroup } from './assembly';

const TEMPLATE_FILE = /\.(?:json|ya?ml|template)$/i;
const MANIFEST = 'manifest.json';
const SAM = 'AWS::Serverless-2016-10-31';

/** What the user can do with sources that the doctor does not read. */
const AFTER_DEPLOYMENT = 'Deploy it and name the account instead: dlo doctor --region REGION';

/** Why a file with this content is refused; undefined if it is a template. */
function refusal(template: JsonObject): string | undefined {
  if (listOfOneOrMore(template['Transform'] ?? []).includes(SAM)) {
    return `is a SAM template, whose resources only CloudFormation creates. Read what it makes of it: aws cloudformation get-template --stack-name NAME --template-stage Processed --query TemplateBody > processed.json, then dlo doctor processed.json. ${AFTER_DEPLOYMENT} --stack NAME`;
  }
  if (template['format_version'] !== undefined && template['terraform_version'] !== undefined) {
    return `is a plan or state of Terraform, which the doctor does not read. ${AFTER_DEPLOYMENT}`;
  }
  if (isObject(template['Resources'])) return resourceProblem(template);
  return 'is not a CloudFormation template, because it has no Resources';
}

function parsed(file: string): JsonObject | string {
  try {
    const body = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
    const value: unknown = body.trimStart().startsWith('{') ? JSON.parse(body) : undefined;
    // A plan of Terraform has no Resources, so it is recognized before it is refused as a template.
    if (isObject(value) && !isObject(value['Resources'])) return value;
    return readTemplateBody(body);
  } catch (error) {
    return messageOf(error);
  }
}

/** Where a nested stack's template is, if it is a file: CloudFormation's `package` command uploads those. */
function nestedFile(template: string, url: string | undefined): string | undefined {
  if (url === undefined || /^\w+:\/\//.test(url)) return undefined;
  const file = path.resolve(path.dirname(template), url);
  return existsSync(file) && statSync(file).isFile() ? file : undefined;
}

function readTemplate(file: string, around: readonly string[] = []): ReadTemplate & { readonly template: JsonObject } {
  const template = parsed(file);
  if (typeof template === 'string') throw new BadInput([`${file}: ${template}`]);
  const nested = ({ templateUrl }: NestedTemplate): ReadTemplate | undefined => {
    const inner = nestedFile(file, templateUrl);
    return inner === undefined || [...around, file].includes(inner)
      ? undefined
      : readTemplate(inner, [...around, file]);
  };
  return { template, templatePath: file, nested };
}

/** The files that a template nests. They are read as parts of it, not as stacks of their own. */
function nestedFiles(file: string, template: JsonObject): string[] {
  const resources = isObject(template['Resources']) ? Object.values(template['Resources']) : [];
  return resources.flatMap(it => {
    const properties = isObject(it) && it['Type'] === 'AWS::CloudFormation::Stack' ? it['Properties'] : undefined;
    const url = isObject(properties) ? properties['TemplateURL'] : undefined;
    return (typeof url === 'string' ? nestedFile(file, url) : undefined) ?? [];
  });
}

/** A file that cannot be parsed is a template if it has this line. */
const RESOURCES = /^\s*["']?Resources["']?\s*:/m;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules' && !name.startsWith('.'))
    .sort(({ name: one }, { name: other }) => (one < other ? -1 : 1))
    .flatMap(entry => {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(file);
      return TEMPLATE_FILE.test(entry.name) ? [file] : [];
    });
}

/**
 * The stacks of a folder's templates: its other files, such as parameters, have no resources. A template that only
 * CloudFormation can read, by a macro, is reported as not read.
 */
function stacksBelow(folder: string): readonly TemplateStack[] {
  const found = filesBelow(folder).flatMap(file => {
    const template = parsed(file);
    if (typeof template === 'string' && RESOURCES.test(readFileSync(file, 'utf8'))) {
      throw new BadInput([`${file}: ${template}`]);
    }
    return isObject(template) && isObject(template['Resources']) ? [{ file, template }] : [];
  });
  const inner = new Set(found.flatMap(({ file, template }) => nestedFiles(file, template)));
  const outer = found.filter(({ file }) => !inner.has(path.resolve(file)));
  return outer.map(({ file }) => ({ ...readTemplate(file), stackName: stackNameOf(nameBelow(folder, file)) }));
}

/** Templates of the same name in several folders are told apart by their folder. */
function nameBelow(folder: string, file: string): string {
  return path.relative(folder, file).split(path.sep).join('-');
}

/**
 * Reads what the user names: a cloud assembly, a template in JSON or YAML, or a folder of templates, which are read as
 * the stacks of one app.
 */
export function readSource(source: string): readonly StackGroup[] {
  const isFolder = existsSync(source) && statSync(source).isDirectory();
  if (existsSync(source) && !isFolder) {
    const stack = { ...readTemplate(source), stackName: stackNameOf(source) };
    const refused = refusal(stack.template);
    if (refused !== undefined) throw new BadInput([`${source} ${refused}`]);
    return [{ folder: path.dirname(source), stacks: [stack], acknowledged: [] }];
  }
  if (!isFolder || existsSync(path.join(source, MANIFEST))) return readStacks(source);
  const stacks = stacksBelow(source);
  if (stacks.length > 0) return [{ folder: source, stacks, acknowledged: [] }];
  throw new BadInput([
    `${source} is neither a cloud assembly, because it has no ${MANIFEST}, nor a folder of CloudFormation templates: name the output folder of "cdk synth", cdk.out, or a template`,
  ]);
}
