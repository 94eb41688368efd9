import type { Ajv, Options, ValidateFunction } from 'ajv';
import AjvDraft4 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { AwsError, notImplemented } from '../../kernel/aws-error';
import { LinearRegex } from '../../kernel/linear-regex';
import { badRequest } from '../errors';

/** The models of one API: JSON schemas (draft 4) that may refer to each other. */
export class ModelSchemas {
  private readonly schemas = new Map<string, object>();
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(private readonly apiId: string) {}

  remove(modelName: string): void {
    this.schemas.delete(modelName);
    this.compiled.clear();
  }

  add(modelName: string, schema: object): void {
    if (this.schemas.has(modelName)) throw badRequest(`Model name already exists for this REST API: ${modelName}`);
    if (!DRAFT_4.validateSchema(schema)) {
      throw badRequest(`Invalid model specified: Validation Result: warnings : [], errors : [${DRAFT_4.errorsText()}]`);
    }
    this.schemas.set(modelName, schema);
    try {
      this.validator(modelName);
    } catch (error) {
      this.schemas.delete(modelName);
      if (error instanceof AwsError) throw error;
      throw badRequest(`Invalid model specified: Validation Result: warnings : [], errors : [${String(error)}]`);
    }
  }

  has(modelName: string): boolean {
    return this.schemas.has(modelName);
  }

  snapshot(): ModelSchemas {
    const copy = new ModelSchemas(this.apiId);
    for (const [name, schema] of this.schemas) copy.schemas.set(name, schema);
    return copy;
  }

  problems(modelName: string, document: unknown): readonly string[] {
    const validate = this.validator(modelName);
    if (validate(document)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
  }

  private validator(modelName: string): ValidateFunction {
    const known = this.compiled.get(modelName);
    if (known) return known;
    const ajv = newValidator({ validateSchema: false });
    for (const [name, schema] of this.schemas) ajv.addSchema({ ...schema, id: this.uri(name) }, this.uri(name));
    const validate = ajv.getSchema(this.uri(modelName));
    if (!validate) throw badRequest(`Invalid model identifier specified: ${modelName}`);
    this.compiled.set(modelName, validate);
    return validate;
  }

  /** The URL by which a `$ref` names a model. */
  private uri(modelName: string): string {
    return `https://apigateway.amazonaws.com/restapis/${this.apiId}/models/${modelName}`;
  }
}

type RegExpEngine = NonNullable<NonNullable<Options['code']>['regExp']>;

/** Compiles the patterns of models. Clients choose the text to match, so matching must take linear time. */
const PATTERNS: RegExpEngine = Object.assign(
  (pattern: string): LinearRegex => {
    const regex = LinearRegex.ofJavaScript(pattern);
    if (!regex) throw notImplemented(`the pattern ${pattern} of a model: lookaround and backreferences`);
    return regex;
  },
  { code: 'LinearRegex.ofJavaScript' },
);

function newValidator(options: Options = {}): Ajv {
  const ajv = new AjvDraft4({ strict: false, allErrors: true, code: { regExp: PATTERNS }, ...options });
  addFormats(ajv);
  return ajv;
}

/**
 * Validates each schema before it becomes a model. It is shared because compiling draft 4 itself takes longer than
 * compiling all models of an API.
 */
const DRAFT_4 = newValidator();
