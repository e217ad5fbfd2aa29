"""Loading vision-language models, placing adapters on them, and every Hugging Face hook."""
