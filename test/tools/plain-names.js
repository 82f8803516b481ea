/** Participles alone say what happened to a thing and not what it is: `found` what? A name says what it holds. */
const words = new Set('asked deaf found gone heard kept known owed said seen taken told wanted'.split(' '));

function* namesIn(pattern) {
  if (pattern === null) return;
  switch (pattern.type) {
    case 'Identifier':
      return yield pattern;
    case 'ObjectPattern':
      for (const property of pattern.properties) yield* namesIn(property.value ?? property.argument);
      return;
    case 'ArrayPattern':
      for (const element of pattern.elements) yield* namesIn(element);
      return;
    case 'AssignmentPattern':
      return yield* namesIn(pattern.left);
    case 'RestElement':
      return yield* namesIn(pattern.argument);
    case 'TSParameterProperty':
      return yield* namesIn(pattern.parameter);
  }
}

/** Of variables, parameters, functions and types. Properties are left out: many of them are stored, or sent. */
export const plainNames = {
  meta: { type: 'problem', schema: [{ type: 'array', items: { type: 'string' } }] },
  create(context) {
    const allowed = new Set(context.options[0] ?? []);
    function judge(patterns) {
      for (const pattern of patterns)
        for (const name of namesIn(pattern))
          if (words.has(name.name.toLowerCase()) && !allowed.has(name.name))
            context.report({ node: name, message: `"${name.name}" says what happened: name the thing that it is.` });
    }
    const ofFunction = (node) => judge([node.id ?? null, ...node.params]);
    return {
      VariableDeclarator: (node) => judge([node.id]),
      FunctionDeclaration: ofFunction,
      FunctionExpression: ofFunction,
      ArrowFunctionExpression: ofFunction,
      TSFunctionType: (node) => judge(node.params),
      TSMethodSignature: (node) => judge(node.params),
      TSInterfaceDeclaration: (node) => judge([node.id]),
      TSTypeAliasDeclaration: (node) => judge([node.id]),
    };
  },
};
