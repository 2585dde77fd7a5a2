"""The second look: a model looks at what people are shown, may say *look here*, and has no vote."""
