_HOME: dict[str, str]
_MODULES: dict[str, str]
__all__: list[str]
